import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { locked } from '../cli-error.ts'
import type { Context } from '../context.ts'

/**
 * The root keys that pending rotations of an identity lead to, encrypted with its passphrase. Each has a file of its own,
 * because a request for an earlier key can still take effect.
 */
export class NextKey {
  readonly #folder: string

  constructor(context: Context, did: string) {
    this.#folder = join(context.folders.data, 'next', did.slice(8))
  }

  /**
   * Returns the path of the file. Call it before anything is sent: an identity is lost if it rotates to a key that nobody
   * has.
   */
  async save(successor: Identity, sheets: KeySet['sheets'], passphrase: Secret): Promise<string> {
    const path = this.#pathOf(successor.userId)
    await (await fileAt(path)).save({ identity: successor, sheets }, passphrase)
    return path
  }

  /** Loads the key with this userId, and the records of the sheets that it commits to. */
  async load(
    userId: string,
    passphrase: Secret,
  ): Promise<{ readonly successor: Identity; readonly sheets: KeySet['sheets'] }> {
    const keys = await (await fileAt(this.#pathOf(userId))).load(passphrase)
    if (keys?.identity?.userId === userId) return { successor: keys.identity, sheets: keys.sheets }
    throw locked(
      'key_missing',
      'The root key that the newest rotation leads to is not on this machine',
      'run it where svc rotate start was run; if you did not start this rotation, svc rotate veto',
    )
  }

  /** Deletes the keys. An activation makes every other request for its epoch void. */
  async delete(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  #pathOf(userId: string): string {
    return join(this.#folder, `${userId.slice(0, 32)}.json`)
  }
}

async function fileAt(path: string) {
  const { KeyFile } = await import('#client/node')
  return new KeyFile(path)
}
