import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Client, ConnectOptions, Device, Identity, Lineage, WitnessPolicy } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { CliError, declined, locked, usage } from './cli-error.ts'
import type { Environment } from './environment.ts'
import { EXIT } from './exit-codes.ts'
import { KeyStore } from './keys/key-store.ts'
import { Passphrases } from './keys/passphrase.ts'
import { Output } from './output.ts'
import { type Folders, foldersOf } from './settings/folders.ts'
import { NOBODY, type Profile, Profiles } from './settings/profiles.ts'
import { WITNESSES } from './settings/trust-names.ts'
import { textIn } from './texts.ts'
import { VERSION } from './version.ts'

export const DEFAULT_PROFILE = 'default'
/** Of a local start: core, and its documentation. */
const LOCAL_CORE = 'http://localhost:8787'
const LOCAL_DOCS = 'http://localhost:8794'

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly yes: boolean
  readonly dryRun: boolean
  readonly profile: string
  readonly core: string | undefined
  readonly passphraseFd: number | undefined
}

/** The keys that a client acts with. */
export type ActingKeys = Pick<KeySet, 'identity' | 'former' | 'devices'> & Partial<Pick<KeySet, 'sheets'>>

/** Who acts: the root key or, if it is not here, a device; a device; or nobody. */
export type Actor = 'own' | 'device' | 'nobody'

/** What a command works with. */
export class Context {
  readonly environment: Environment
  readonly options: GlobalOptions
  readonly output: Output
  readonly folders: Folders
  readonly profiles: Profiles
  readonly passphrases: Passphrases
  readonly keys: KeyStore
  readonly #closing: (() => void)[] = []

  constructor(environment: Environment, options: GlobalOptions) {
    this.environment = environment
    this.options = options
    this.output = new Output(environment, options)
    this.folders = foldersOf(environment)
    this.profiles = new Profiles(this.folders.config)
    this.passphrases = new Passphrases(environment, this.output, options.passphraseFd)
    this.keys = new KeyStore(this.folders.data, environment, this.passphrases)
  }

  /** The chosen profile. `--core` replaces its deployment, so that its identity is left out. */
  async profile(): Promise<Profile> {
    const { profile: name, core } = this.options
    const profile = await this.profiles.read(name)
    if (core !== undefined && core !== profile?.core)
      return { ...NOBODY, core, realm: core, origin: profile?.origin ?? null, docs: '' }
    if (profile) return profile
    const isDefault = name === DEFAULT_PROFILE
    throw usage(
      isDefault ? 'No deployment is chosen yet' : `There is no profile "${name}"`,
      `svc init --core URL${isDefault ? '' : ` --profile ${name}`}, such as ${LOCAL_CORE} for a local start`,
    )
  }

  /** Origin of the documentation: of the profile's deployment, else of a local start. */
  async docs(): Promise<string> {
    const profile = await this.profile().catch(() => null)
    return profile?.docs || LOCAL_DOCS
  }

  async did(): Promise<string> {
    const { did } = await this.profile()
    if (did !== null) return did
    throw locked('no_identity', 'This profile has no identity', await this.identityStep())
  }

  /** How a profile without an identity gets one: keys that are here already come before new ones. */
  async identityStep(): Promise<string> {
    const [did, ...others] = await this.keys.dids()
    if (did === undefined) return 'svc id new, svc id import FILE, or svc device join'
    return `${this.initFor(others.length === 0 ? did : 'DID, with one of svc id list')}, or svc id new`
  }

  /** What makes the profile act as an identity whose keys are here. */
  initFor(did: string, core?: string): string {
    const { profile } = this.options
    const named = profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`
    return `svc init${named}${core === undefined ? '' : ` --core ${core}`} --did ${did}`
  }

  /** The keys of the profile's identity. */
  async ownKeys(): Promise<KeySet> {
    return this.keys.load(await this.did())
  }

  /** The passphrase that the files of an identity are encrypted with. Its key file is opened with it where there is one. */
  async passphraseOf(did: string): Promise<Secret> {
    if (await this.keys.has(did)) return (await this.keys.open(did)).passphrase
    return this.passphrases.existing(`the secrets of ${did}`)
  }

  /** A client of the deployment, which acts as the profile's identity. */
  async client(actor: Actor = 'own'): Promise<Client> {
    if (actor === 'nobody') return this.#connect({})
    const { signer, lineage } = await this.profile()
    if (signer && actor === 'own') return this.#connect({ identity: await this.identityOfSigner(signer, lineage) })
    const { identity, ...keys } = await this.ownKeys()
    return this.clientOf({ ...keys, identity: actor === 'own' ? identity : null })
  }

  /** What signs requests: the root key or, if it is not here, a device. */
  async asserter(): Promise<Identity | Device> {
    const { signer, lineage } = await this.profile()
    if (signer) return this.identityOfSigner(signer, lineage)
    const { identity, devices } = await this.ownKeys()
    const found = identity ?? devices.find(({ membership }) => membership !== null)
    if (found) return found
    throw locked('key_missing', 'The key file holds no key that can act', 'svc id show, or svc id import FILE')
  }

  /** A client that acts with keys which are open already. */
  async clientOf(
    { identity, former, devices, sheets = [] }: ActingKeys,
    { sheetReaders = [] }: Pick<ConnectOptions, 'sheetReaders'> = {},
  ): Promise<Client> {
    const notes = { former, sheetReaders }
    // Without records of sheets, the client uses the sheets that the root key has published.
    if (identity) return this.#connect({ ...notes, identity, ...(sheets.length > 0 && { sheets }) })
    const device = devices.find(({ membership }) => membership !== null)
    if (device) return this.#connect({ ...notes, device })
    throw locked('key_missing', 'The key file holds no key that can do this', 'svc id show, or svc id import FILE')
  }

  /** How the profile's deployment is reached, without anybody's keys. */
  async connection(): Promise<ConnectOptions> {
    return this.connectionTo(await this.profile())
  }

  async connectionTo({ core, realm, origin }: Profile): Promise<ConnectOptions> {
    const { fetch, now } = this.environment
    const { FileStore } = await import('#client/node')
    const trustStore = new FileStore(join(this.folders.state, `${storeName(core)}.json`))
    const witnesses = (await trustStore.get(WITNESSES)) as WitnessPolicy | null | undefined
    return {
      core,
      realm,
      now,
      trustStore,
      ...(witnesses && { witnesses }),
      ...(fetch && { fetch }),
      ...(origin !== null && { origin }),
    }
  }

  /** Reads a file that the caller names; `-` is standard input. */
  async read(path: string): Promise<Uint8Array> {
    if (path === '-') return this.environment.stdin()
    try {
      return await readFile(this.pathOf(path))
    } catch (error) {
      throw usage(
        `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`,
        'check the path, or pass - for standard input',
      )
    }
  }

  /** Reads a text that the caller names: UTF-8, or UTF-16 with a byte order mark. */
  async readText(path: string): Promise<string> {
    return textIn(path, await this.read(path))
  }

  /** Reads a file of JSON. */
  async readJson(path: string): Promise<unknown> {
    const text = await this.readText(path)
    try {
      return JSON.parse(text)
    } catch {
      throw usage(`${path} is not JSON`, 'check that it is the file you mean')
    }
  }

  pathOf(path: string): string {
    return resolve(this.environment.folder, path)
  }

  /** Asks before something that cannot be undone. Scripts pass `--yes`. */
  async confirm(question: string): Promise<void> {
    if (this.options.yes) return
    const { isTerminal, prompts } = this.environment
    if (!isTerminal)
      throw new CliError({
        exitCode: EXIT.usage,
        code: 'unconfirmed',
        message: `${question} This needs a confirmation, and there is no terminal to ask at`,
        next: 'pass --yes',
        page: '/developer/cli#scripts',
      })
    if (!(await this.output.asking(() => prompts.confirm(question)))) throw declined()
  }

  /** The identity whose root key another program holds. `lineage` is of a key that replaced another. */
  async identityOfSigner([command = '', ...args]: readonly string[], lineage: Lineage | null): Promise<Identity> {
    const [node, sdk] = await Promise.all([import('#client/node'), import('#client/identity')])
    const started = await node.ProcessSigner.start(command, args)
    this.#closing.push(() => started.close())
    const { signer, keyAgreement } = started
    return sdk.Identity.fromSigner(signer, { ...(keyAgreement && { keyAgreement }), ...(lineage && { lineage }) })
  }

  /** Ends what still runs, such as the program of a signer. */
  close(): void {
    for (const close of this.#closing) close()
  }

  async #connect(
    acting: Pick<ConnectOptions, 'identity' | 'former' | 'device' | 'sheets' | 'sheetReaders'>,
  ): Promise<Client> {
    const { Client } = await import('#client')
    return Client.connect({ ...(await this.connection()), ...acting, app: { name: 'svc', version: VERSION } })
  }
}

/** The name of the trust store of a deployment: one for each. */
function storeName(core: string): string {
  return core.replaceAll(/[^a-z0-9.-]+/gi, '-')
}
