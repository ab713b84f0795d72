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

type Seeds = Readonly<Record<string, string>>

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

  /** Keeps the seeds that `change` returns; null leaves them. One program at a time, or one would undo the other's change. */
  async change(change: (seeds: Seeds) => Promise<Seeds | null>): Promise<void> {
    const { FileStore } = await import('@svc/client/node')
    await new FileStore(this.path).exclusively('change', async () => {
      const seeds = ((await this.#file.load(this.#passphrase)) ?? {}) as Seeds
      const changed = await change(seeds)
      if (changed) await this.#file.save(changed, this.#passphrase)
    })
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
    let isHere = false
    await new PrekeySecrets(context, deviceId, passphrase).change(async ({ [prekeyId]: seed, ...others }) => {
      isHere = seed !== undefined
      if (seed === undefined || context.options.dryRun) return null
      const { mlKem768 } = await import('@svc/client/functions')
      await writeNew(out, await mlKem768.decapsulate(bytesOf(seed), ciphertext))
      return others
    })
    if (isHere)
      return { data: { prekeyId, file: out }, text: `${context.options.dryRun ? 'Would write' : 'Wrote'} ${out}` }
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
