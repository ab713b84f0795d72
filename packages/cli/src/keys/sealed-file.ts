import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Secret } from '#client/text'
import { locked } from '../cli-error.ts'

/** A secret value in a file of its own, as JSON that age encrypts with a passphrase. */
export class SealedFile {
  readonly path: string
  readonly #workFactor: number

  /** `workFactor` is the logarithm of the cost of one guess of the passphrase; 18 is what age itself takes. */
  constructor(path: string, workFactor = 18) {
    this.path = path
    this.#workFactor = workFactor
  }

  /** Null if there is no file. */
  async load(passphrase: Secret): Promise<unknown> {
    const bytes = await readFile(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (bytes === null) return null
    const { Decrypter } = await import('age-encryption')
    const decrypter = new Decrypter()
    decrypter.addPassphrase(passphrase)
    const text = await decrypter.decrypt(new Uint8Array(bytes), 'text').catch(() => {
      throw locked(
        'not_opened',
        `The passphrase does not open ${this.path}`,
        'type the passphrase that it was written with',
      )
    })
    return JSON.parse(text) as unknown
  }

  async save(value: unknown, passphrase: Secret): Promise<void> {
    const { Encrypter } = await import('age-encryption')
    const encrypter = new Encrypter()
    encrypter.setScryptWorkFactor(this.#workFactor)
    encrypter.setPassphrase(passphrase)
    const sealed = await encrypter.encrypt(JSON.stringify(value))
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    await writeFile(`${this.path}.next`, sealed, { mode: 0o600 })
    await rename(`${this.path}.next`, this.path)
  }
}
