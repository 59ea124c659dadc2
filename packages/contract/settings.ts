/** A whole-number setting of a service. The service declares it; the deployment uses its range, default and meaning. */
export interface NumberSetting {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  /** One or two sentences, for every reference. */
  readonly meaning: string;
}
