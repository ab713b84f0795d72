import { fromHex, toHex } from '@svc/protocol/base/hash'
import { RecordFault } from './record-fault.ts'
import { KEY_ID_BYTES } from './record-form.ts'

const UTF8 = new TextEncoder()
const HKDF = { name: 'HKDF', hash: 'SHA-256', salt: UTF8.encode('svc/records/v2') } as const
const AES = { name: 'AES-GCM', length: 256 } as const

/** A version of a Worker's seed. */
interface SeedKey {
  readonly id: Uint8Array
  readonly idHex: string
  readonly material: CryptoKey
}

/** The keys that a Worker's seed gives, by version: records are written under the newest, and read under each. */
export class RecordKeys {
  readonly #seeds: ReadonlyMap<number, string>
  #keys: Promise<readonly SeedKey[]> | undefined

  /** Seeds of 64 hex characters by version. */
  constructor(seeds: ReadonlyMap<number, string>) {
    this.#seeds = seeds
  }

  async newestId(): Promise<{ readonly id: Uint8Array; readonly idHex: string }> {
    return this.#newest()
  }

  async has(keyId: string): Promise<boolean> {
    return (await this.#all()).some(({ idHex }) => idHex === keyId)
  }

  /** Of one object's folder, under the newest seed. */
  async newestOf(
    folder: string,
  ): Promise<{ readonly id: Uint8Array; readonly idHex: string; readonly key: CryptoKey }> {
    const { id, idHex, material } = await this.#newest()
    return { id, idHex, key: await keyOf(material, folder) }
  }

  /** Of one object's folder, under the seed that a record names. */
  async of(keyId: string, folder: string, what: string): Promise<CryptoKey> {
    const known = (await this.#all()).find(({ idHex }) => idHex === keyId)
    if (!known)
      throw new RecordFault(
        `${what} is under the key ${keyId}, which comes from no version of RECORDS_SEED that this Worker has`,
      )
    return keyOf(known.material, folder)
  }

  async #newest(): Promise<SeedKey> {
    const [newest] = await this.#all()
    if (!newest) throw new Error('records without a seed')
    return newest
  }

  /** The newest first. */
  #all(): Promise<readonly SeedKey[]> {
    this.#keys ??= Promise.all(
      [...this.#seeds].toSorted(([left], [right]) => right - left).map(([, seed]) => seedKeyOf(seed)),
    )
    return this.#keys
  }
}

/** The id comes from the seed and not from its number: another seed in its place has another. */
async function seedKeyOf(seed: string): Promise<SeedKey> {
  const material = await crypto.subtle.importKey('raw', fromHex(seed).slice(), 'HKDF', false, [
    'deriveKey',
    'deriveBits',
  ])
  const derivation = { ...HKDF, info: UTF8.encode('key id') }
  const id = new Uint8Array(await crypto.subtle.deriveBits(derivation, material, KEY_ID_BYTES * 8))
  return { id, idHex: toHex(id), material }
}

/** A folder ends with a slash, so none is the text that the id is derived with. */
function keyOf(material: CryptoKey, folder: string): Promise<CryptoKey> {
  return crypto.subtle.deriveKey({ ...HKDF, info: UTF8.encode(folder) }, material, AES, false, ['encrypt', 'decrypt'])
}
