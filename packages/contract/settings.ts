/** A whole number that a service reads. The service declares it; the deployment takes range, default and meaning from there. */
export interface NumberSetting {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  /** One or two sentences, for every reference. */
  readonly meaning: string;
}
