/**
 * - `malformed`: it is not an export, or asks for more memory than one may.
 * - `not_opened`: the passphrase or passkey is wrong, or the export was modified; these cannot be told apart. Or the device
 *   has too little memory, as the message says.
 * - `mismatch`: it opens, but its keys, DID and recovery are not of one identity.
 * - `unsupported`: this browser or passkey cannot encrypt: it has no PRF extension.
 * - `refused`: the person did not confirm with the passkey, or it is not there.
 */
export type KeyExportReason = 'malformed' | 'not_opened' | 'mismatch' | 'unsupported' | 'refused'

/** Exported keys could not be opened. */
export class KeyExportError extends Error {
  override readonly name = 'KeyExportError'
  readonly reason: KeyExportReason

  constructor(reason: KeyExportReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
