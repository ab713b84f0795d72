import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client, Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import type { Context } from '../context.ts'
import { isThere } from '../files.ts'
import type { Passphrases } from '../keys/passphrase.ts'

type SignedRequest = Awaited<ReturnType<Client['rotation']['makeRequest']>>

/** A root key that a request of this machine leads to. */
export interface NextKey {
  readonly rotationId: string
  readonly successor: Identity
  /** Records of the sheets that the request commits to. */
  readonly sheets: KeySet['sheets']
}

/**
 * The root keys that requests of this machine lead to, encrypted with the passphrase of the identity. Each request has a
 * file of its own, because an earlier one can still take effect, and may commit to other sheets.
 */
export class NextKeys {
  readonly #folder: string
  readonly #passphrases: Passphrases

  constructor(context: Context, did: string) {
    this.#passphrases = context.passphrases
    this.#folder = join(context.folders.data, 'next', did.slice(8))
  }

  /**
   * Returns the path of the file. Call it before the request leaves the machine: an identity is lost if it rotates to a
   * key that nobody has.
   */
  async save({ rotationId, successor, sheets }: NextKey, passphrase: Secret): Promise<string> {
    const path = this.#pathOf(rotationId)
    await (await fileAt(path)).save({ identity: successor, sheets }, passphrase)
    return path
  }

  /** Whether this machine made the request of a rotation. Opens nothing. */
  has(rotationId: string): Promise<boolean> {
    return isThere(this.#pathOf(rotationId))
  }

  /** Opens the files with the passphrase of the keys, or asks for the one that the keys had before an import. */
  async load(passphrase: Secret): Promise<readonly NextKey[]> {
    const found: NextKey[] = []
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const rotationId = /^([0-9a-f]{96})\.json$/.exec(name)?.[1]
      const keys = rotationId === undefined ? null : await this.#open(this.#pathOf(rotationId), passphrase)
      if (rotationId !== undefined && keys?.identity)
        found.push({ rotationId, successor: keys.identity, sheets: keys.sheets })
    }
    return found
  }

  async delete(keys: readonly NextKey[]): Promise<void> {
    for (const { rotationId } of keys) await rm(this.#pathOf(rotationId), { force: true })
  }

  async #open(path: string, passphrase: Secret): Promise<KeySet | null> {
    const file = await fileAt(path)
    return file.load(passphrase).catch(async (error: unknown) => {
      const isLocked = error instanceof Error && 'reason' in error && error.reason === 'not_opened'
      if (!isLocked) throw error
      return file.load(await this.#passphrases.existing(path))
    })
  }

  #pathOf(rotationId: string): string {
    return join(this.#folder, `${rotationId}.json`)
  }
}

/** Returns what to save for a request. */
export async function keptFor({ statement }: SignedRequest, key: Omit<NextKey, 'rotationId'>): Promise<NextKey> {
  const { rotationIdOf } = await import('#client/functions')
  return { rotationId: rotationIdOf(statement), ...key }
}

async function fileAt(path: string) {
  const { KeyFile } = await import('#client/node')
  return new KeyFile(path)
}
