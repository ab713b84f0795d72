import { checkCall } from '../arguments/check.ts'
import { keptToPurpose } from './kept-to-purpose.ts'
import type { Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

export interface KmsSignerOptions {
  /** ML-DSA-65 public key of the key in the KMS, 1,952 bytes. */
  readonly publicKey: Uint8Array
  /** Calls the KMS: a pure ML-DSA-65 signature with an empty context over the bytes, and not over a hash of them. */
  readonly sign: Signer['sign']
  /** How long it may take, ms; default: 30,000. */
  readonly timeoutMs?: number
}

/**
 * Signs with one function, such as a call of a cloud KMS or an HSM. Refuses bytes that are not of their purpose before
 * it is called, and throws a `SignerError` with the reason `timeout` if it does not answer.
 */
export function kmsSigner(options: KmsSignerOptions): Signer {
  checkCall('kmsSigner', [options], [['options', { publicKey: 1, sign: 1, timeoutMs: 0 }]])
  const { publicKey, sign, timeoutMs = 30_000 } = options
  return keptToPurpose({
    publicKey,
    async sign(bytes, purpose) {
      const late = new SignerError('timeout', purpose, `The KMS did not answer within ${timeoutMs} ms`)
      return within(timeoutMs, late, Promise.resolve(sign(bytes, purpose)))
    },
  })
}

/** What a promise resolves to, unless it takes too long. */
export function within<T>(timeoutMs: number, late: Error, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), timeoutMs)
    void promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
