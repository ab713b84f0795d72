import { readFile, rm, stat } from 'node:fs/promises'
import { checkCall } from '../arguments/check.ts'
import { exportKeys, importKeys } from '../backup/export.ts'
import { KeyExportError } from '../backup/export-error.ts'
import type { KeyLock } from '../backup/key-lock.ts'
import { KEY_SET, type KeySet } from '../backup/key-set.ts'
import { textOf } from '../text/text-of.ts'
import { replaceFile } from './replace-file.ts'

const MAX_FILE_BYTES = 1024 * 1024

/** Keys in one encrypted file, readable by its user only, in the format of `exportKeys`. */
export class KeyFile {
  readonly #path: string

  /** The file is created with mode 0600, and its folder if it is missing. */
  constructor(path: string) {
    checkCall('new KeyFile', [path], ['path'])
    this.#path = path
  }

  /** Encrypts the keys and replaces the file. A program that ends in between leaves the old file or the new one. */
  async save(keys: Partial<KeySet>, lock: KeyLock): Promise<void> {
    checkCall('keyFile.save', [keys, lock], [['keys', KEY_SET], 'lock'])
    const text = JSON.stringify(await exportKeys(keys, lock), null, 2)
    await replaceFile(this.#path, `${text}\n`)
  }

  /** Decrypts the file; null if there is none. Throws a `KeyExportError` that says why it cannot. */
  async load(lock: KeyLock): Promise<KeySet | null> {
    checkCall('keyFile.load', [lock], ['lock'])
    const bytes = await this.#read()
    return bytes === null ? null : importKeys(parsed(bytes), lock)
  }

  async delete(): Promise<void> {
    await rm(this.#path, { force: true })
  }

  async #read(): Promise<Uint8Array | null> {
    try {
      const { size } = await stat(this.#path)
      if (size > MAX_FILE_BYTES) throw new KeyExportError('malformed', 'The file is larger than exported keys can be')
      return await readFile(this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes))
  } catch (cause) {
    throw new KeyExportError('malformed', 'The file is not JSON', { cause })
  }
}
