export const renderPage = (..._all: unknown[]): string => "";
