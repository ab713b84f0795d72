/** An option of the SDK is missing or has the wrong form. `option` names it, and the message says what to pass. */
export class ConfigurationError extends TypeError {
  override readonly name = 'ConfigurationError'
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}
