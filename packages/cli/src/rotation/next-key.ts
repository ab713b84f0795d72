import { join } from 'node:path'
import type { Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { locked } from '../cli-error.ts'
import type { Context } from '../context.ts'

/** The root key that a pending rotation leads to, encrypted with the passphrase of the identity. */
export class NextKey {
  readonly path: string

  constructor(context: Context, did: string) {
    this.path = join(context.folders.data, 'next', `${did.slice(8)}.json`)
  }

  /** Before anything is sent: an identity whose new key nobody has is lost. */
  async save(successor: Identity, sheets: KeySet['sheets'], passphrase: Secret): Promise<void> {
    await (await this.#file()).save({ identity: successor, sheets }, passphrase)
  }

  /** Loads the key and the records of the sheets that it commits to. */
  async load(passphrase: Secret): Promise<{ readonly successor: Identity; readonly sheets: KeySet['sheets'] }> {
    const keys = await (await this.#file()).load(passphrase)
    if (keys?.identity) return { successor: keys.identity, sheets: keys.sheets }
    throw locked('key_missing', 'The new root key is not on this machine', 'run it where svc rotate start was run')
  }

  async delete(): Promise<void> {
    await (await this.#file()).delete()
  }

  async #file() {
    const { KeyFile } = await import('#client/node')
    return new KeyFile(this.path)
  }
}
