import { join } from 'node:path'
import * as z from 'zod'
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

/** The seed of each prekey of a device by its id, beside the key file and encrypted with the same passphrase. */
export class PrekeySecrets {
  readonly #file: SealedFile
  readonly #passphrase: string

  constructor({ folders }: Context, deviceId: string, passphrase: string) {
    this.#file = new SealedFile(join(folders.data, 'prekeys', `${deviceId}.age`))
    this.#passphrase = passphrase
  }

  get path(): string {
    return this.#file.path
  }

  async all(): Promise<Readonly<Record<string, string>>> {
    return ((await this.#file.load(this.#passphrase)) ?? {}) as Readonly<Record<string, string>>
  }

  async replace(seeds: Readonly<Record<string, string>>): Promise<void> {
    await this.#file.save(seeds, this.#passphrase)
  }
}

/** Encapsulates to a reserved prekey. The 32 bytes are for the caller's own encryption, and only its owner gets the same. */
export async function encapsulated(publicKeyB64u: string, file: string): Promise<string> {
  const { mlKem768 } = await import('@svc/client/functions')
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
    const { [prekeyId]: seed, ...others } = await secrets.all()
    if (seed === undefined) continue
    if (context.options.dryRun) return { data: { prekeyId, file: out }, text: `Would write ${out}` }
    const { mlKem768 } = await import('@svc/client/functions')
    await writeNew(out, await mlKem768.decapsulate(bytesOf(seed), ciphertext))
    await secrets.replace(others)
    return { data: { prekeyId, file: out }, text: `Wrote ${out}` }
  }
  throw locked(
    'prekey_unknown',
    `This machine has no secret of the prekey ${prekeyId}`,
    'open it on the device that published the prekey; a prekey opens once',
  )
}

function bytesOf(b64u: string): Uint8Array {
  return new Uint8Array(Buffer.from(b64u, 'base64url'))
}
