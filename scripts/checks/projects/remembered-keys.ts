/**
 * Remembers what passphrases gave. A command derives the key of a file anew, with 128 MiB of memory, and tests run hundreds
 * of commands on the same few files. The first derivation is the runtime's own; the same passphrase, salt and cost give the
 * same key again.
 *
 * @module
 */
import crypto, { createHash, type ScryptOptions } from 'node:crypto'

type Done = (error: Error | null, key: Buffer) => void

const derive = crypto.scrypt
const keys = new Map<string, Buffer>()

/** With the arguments that the SDK gives. */
function scrypt(password: Uint8Array, salt: Uint8Array, length: number, options: ScryptOptions, done: Done): void {
  const { N, r, p } = options
  const input = [password, salt].map((part) => createHash('sha512').update(part).digest('hex'))
  const name = [...input, length, N, r, p].join(' ')
  const known = keys.get(name)
  if (known) setImmediate(done, null, Buffer.from(known))
  else
    derive(password, salt, length, options, (error, key) => {
      if (!error) keys.set(name, Buffer.from(key))
      done(error, key)
    })
}

crypto.scrypt = scrypt as typeof derive
