import { join } from 'node:path'
import * as z from 'zod'
import type { Secret } from '#client/text'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { SealedFile } from '../keys/sealed-file.ts'
import { argument, type Given, option, type Result } from '../result.ts'

/** FIPS 203, table 3. */
const CIPHERTEXT_BYTES = 1088

/** As much of what `directory reserve --json` prints as the owner of the prekey needs. */
const reservedSchema = z.looseObject({
  prekey: z.looseObject({ prekeyId: z.string().regex(/^[A-Za-z0-9_-]{32}$/) }),
  ciphertextB64u: z.base64url(),
})

type Seeds = Readonly<Record<string, string>>

/** The seed of each prekey of a device by its id, beside the key file and encrypted with the same passphrase. */
export class PrekeySecrets {
  readonly #file: SealedFile
  readonly #passphrase: Secret

  constructor({ folders }: Context, deviceId: string, passphrase: Secret, workFactor?: number) {
    this.#file = new SealedFile(join(folders.data, 'prekeys', `${deviceId}.age`), workFactor)
    this.#passphrase = passphrase
  }

  get path(): string {
    return this.#file.path
  }

  /** Beside those of earlier batches. */
  add(made: Seeds): Promise<void> {
    return this.#alone(async () => this.#save({ ...(await this.#load()), ...made }))
  }

  async has(prekeyId: string): Promise<boolean> {
    return Object.hasOwn(await this.#load(), prekeyId)
  }

  /** Hands over a seed, and deletes it once `use` has ended. Returns whether it was here. */
  take(prekeyId: string, use: (seed: string) => Promise<void>): Promise<boolean> {
    return this.#alone(async () => {
      const { [prekeyId]: seed, ...others } = await this.#load()
      if (seed === undefined) return false
      await use(seed)
      await this.#save(others)
      return true
    })
  }

  /** One program at a time, or each would undo the other's change. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const { FileStore } = await import('#client/node')
    return new FileStore(this.path).exclusively('seeds', work)
  }

  async #load(): Promise<Seeds> {
    return ((await this.#file.load(this.#passphrase)) ?? {}) as Seeds
  }

  async #save(seeds: Seeds): Promise<void> {
    await this.#file.save(seeds, this.#passphrase)
  }
}

/** Encapsulates to a reserved prekey. The 32 bytes are for the caller's own encryption, and only its owner gets the same. */
export async function encapsulated(publicKeyB64u: string, file: string): Promise<string> {
  const { mlKem768 } = await import('#client/functions')
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(publicKeyB64u))
  await writeNew(file, sharedSecret)
  return Buffer.from(ciphertext).toString('base64url')
}

/** A prekey opens once: its seed is deleted when the secret is written, so that a stolen machine opens no old message. */
export async function open(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const read = reservedSchema.safeParse(await context.readJson(name))
  const ciphertext = read.success ? bytesOf(read.data.ciphertextB64u) : new Uint8Array()
  if (!read.success || ciphertext.byteLength !== CIPHERTEXT_BYTES)
    throw usage(
      `${name} has no secret of a reservation`,
      'pass what svc directory reserve --secret FILE --json printed',
    )
  const { prekeyId } = read.data.prekey
  const out = context.pathOf(option(given, 'out') ?? `${prekeyId}.secret`)
  await mustBeNew(out)
  const { keys, passphrase } = await context.keys.open(await context.did())
  for (const { deviceId } of keys.devices) {
    const secrets = new PrekeySecrets(context, deviceId, passphrase)
    if (context.options.dryRun) {
      if (await secrets.has(prekeyId)) return { data: { prekeyId, file: out }, text: `Would write ${out}` }
    } else if (await secrets.take(prekeyId, (seed) => write(out, seed, ciphertext)))
      return { data: { prekeyId, file: out }, text: `Wrote ${out}` }
  }
  throw locked(
    'prekey_unknown',
    `This machine has no secret of the prekey ${prekeyId}`,
    'open it on the device that published the prekey; a prekey opens once',
  )
}

async function write(file: string, seed: string, ciphertext: Uint8Array): Promise<void> {
  const { mlKem768 } = await import('#client/functions')
  await writeNew(file, await mlKem768.decapsulate(bytesOf(seed), ciphertext))
}

function bytesOf(b64u: string): Uint8Array {
  return new Uint8Array(Buffer.from(b64u, 'base64url'))
}
