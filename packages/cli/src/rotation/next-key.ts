import { join } from 'node:path'
import type { Identity } from '#client'
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
  async save(successor: Identity, passphrase: Secret): Promise<void> {
    await (await this.#file()).save({ identity: successor }, passphrase)
  }

  async load(passphrase: Secret): Promise<Identity> {
    const keys = await (await this.#file()).load(passphrase)
    if (keys?.identity) return keys.identity
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
