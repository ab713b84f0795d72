import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeySet } from '#client/backup'
import { type Secret, secretOf } from '#client/text'
import { locked, usage } from '../cli-error.ts'
import type { Environment } from '../environment.ts'
import { readTextFile } from '../texts.ts'
import { generatedPassphrase, type Passphrases } from './passphrase.ts'

const DID = /^did:svc:([\w-]{32})$/

/** Keys of several identities: an encrypted file each, in the format of the SDK's exports. */
export class KeyStore {
  readonly #folder: string
  readonly #environment: Environment
  readonly #passphrases: Passphrases

  constructor(data: string, environment: Environment, passphrases: Passphrases) {
    this.#folder = join(data, 'keys')
    this.#environment = environment
    this.#passphrases = passphrases
  }

  /** The DIDs whose keys are here. Opens nothing. */
  async dids(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => [])
    return files.flatMap((file) => (file.endsWith('.json') ? [`did:svc:${file.slice(0, -5)}`] : [])).toSorted()
  }

  pathOf(did: string): string {
    const id = DID.exec(did)?.[1]
    if (id === undefined)
      throw usage(`"${did}" is not a DID of this platform`, 'pass one like did:svc:… of svc id list')
    return join(this.#folder, `${id}.json`)
  }

  async has(did: string): Promise<boolean> {
    return (await stat(this.pathOf(did)).catch(() => null)) !== null
  }

  /** The file as it is: encrypted. */
  async exported(did: string): Promise<string> {
    await this.#mustHave(did)
    return readTextFile(this.pathOf(did), 'svc id list')
  }

  async load(did: string): Promise<KeySet> {
    return (await this.open(did)).keys
  }

  /** The keys, and the passphrase to write them again. */
  async open(did: string): Promise<{ readonly keys: KeySet; readonly passphrase: Secret }> {
    await this.#mustHave(did)
    const { KeyFile } = await import('#client/node')
    const passphrase = await this.#passphraseOf(did)
    const keys = await new KeyFile(this.pathOf(did)).load(passphrase)
    if (!keys) throw missing(did)
    return { keys, passphrase }
  }

  /**
   * The passphrase that the keychain keeps for an identity; null without one. It opens the keys before any other is
   * asked for, and opens what is beside them, such as the next root key. So it never changes.
   */
  async keptPassphrase(did: string): Promise<Secret | null> {
    const keychain = await this.#environment.keychain()
    const kept = await keychain?.get(did)
    return kept == null ? null : secretOf(kept)
  }

  /** The passphrase of keys that are about to be written: one that the keychain keeps, or a person's. */
  async newPassphrase(did: string, { inKeychain }: { readonly inKeychain: boolean }): Promise<Secret> {
    const kept = await this.keptPassphrase(did)
    if (kept !== null) return kept
    if (!inKeychain) return this.#passphrases.chosen(`the keys of ${did}`)
    const passphrase = generatedPassphrase()
    await (await this.#keychain()).set(did, passphrase)
    return passphrase
  }

  async write(did: string, keys: Partial<KeySet>, passphrase: Secret): Promise<void> {
    const { KeyFile } = await import('#client/node')
    await new KeyFile(this.pathOf(did)).save(keys, passphrase)
  }

  /** Copies the file of keys that are about to be replaced, and returns where the copy is. */
  async setAside(did: string): Promise<string> {
    const time = new Date(this.#environment.now()).toISOString().replaceAll(':', '-')
    const copy = `${this.pathOf(did)}.replaced-${time}`
    await writeFile(copy, await this.exported(did), { mode: 0o600, flag: 'wx' })
    return copy
  }

  /** Changes the keys of an identity that is here, under the passphrase that it has. */
  async change(did: string, change: (keys: KeySet) => Partial<KeySet> | Promise<Partial<KeySet>>): Promise<void> {
    const { keys, passphrase } = await this.open(did)
    await this.write(did, await change(keys), passphrase)
  }

  async #passphraseOf(did: string): Promise<Secret> {
    return (await this.keptPassphrase(did)) ?? this.#passphrases.existing(`the keys of ${did}`)
  }

  async #keychain() {
    const keychain = await this.#environment.keychain()
    if (keychain) return keychain
    throw locked('no_keychain', 'This machine has no keychain that answers', 'leave out --keychain to use a passphrase')
  }

  async #mustHave(did: string): Promise<void> {
    if (!(await this.has(did))) throw missing(did)
  }
}

function missing(did: string) {
  return locked('key_missing', `The keys of ${did} are not on this machine`, 'svc id import FILE, or svc id list')
}
