/** A call of the SDK has an argument that it does not know, or lacks one. Nothing was signed and nothing was sent. */
export class ArgumentError extends TypeError {
  override readonly name = 'ArgumentError'
  /** The method: `notes.put`. For a value that only its signer refuses, the kind of statement: `svc/rotation-freeze/v1`. */
  readonly method: string
  /** The argument, or the member of one: `text.body`. */
  readonly argument: string
  /** The known name that is most like an unknown one. */
  readonly nearest: string | undefined

  constructor(method: string, argument: string, message: string, nearest?: string) {
    super(nearest === undefined ? message : `${message}. Did you mean \`${nearest}\`?`)
    this.method = method
    this.argument = argument
    this.nearest = nearest
  }
}
