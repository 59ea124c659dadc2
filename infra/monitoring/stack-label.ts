/** Value of the label `stack`: the stack's name, and the component's before it if that is not `routeql`. @param prefix `<component>-<stack>` */
export const stackLabel = (prefix: string): string => prefix.replace(/^routeql-/, "");
