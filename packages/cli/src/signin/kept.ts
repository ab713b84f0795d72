import { join } from 'node:path'
import * as z from 'zod'
import type { SignIn, SignInSession } from '#client/sign-in'
import type { Secret } from '#client/text'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { PASSWORD, Passphrases } from '../keys/passphrase.ts'
import { SealedFile } from '../keys/sealed-file.ts'
import { type Given, option } from '../result.ts'

const keptSchema = z.strictObject({
  /** Of the session. */
  token: z.string().nullable(),
  /** By what was typed as the name: other people’s attempts do not block this machine. */
  knownDevices: z.record(z.string(), z.string()),
  /** For one registration, and its name once there is one. With `isSet`, the grant is spent and only the login is missing. */
  pending: z.strictObject({ grant: z.string(), name: z.string().nullable(), isSet: z.boolean() }).nullable(),
  /** Of a visit to an identity provider. */
  verifier: z.string().nullable(),
})
export type Kept = z.infer<typeof keptSchema>
const NOTHING: Kept = { token: null, knownDevices: {}, pending: null, verifier: null }

/** What a profile keeps of its sign-in: a file of its own, encrypted with the passphrase of the keys. */
export class KeptSignIn {
  readonly kept: Kept
  readonly #file: SealedFile
  readonly #passphrase: Secret

  private constructor(kept: Kept, file: SealedFile, passphrase: Secret) {
    this.kept = kept
    this.#file = file
    this.#passphrase = passphrase
  }

  static async open(context: Context): Promise<KeptSignIn> {
    const { did } = await context.profile()
    const passphrase =
      did === null ? await context.passphrases.existing('the sign-in of this profile') : await context.passphraseOf(did)
    const file = new SealedFile(join(context.folders.data, 'signin', `${context.options.profile}.age`))
    const parsed = keptSchema.safeParse(await file.load(passphrase))
    return new KeptSignIn(parsed.success ? parsed.data : NOTHING, file, passphrase)
  }

  /** What an earlier login with the name has left: names have no case. */
  knownDevice(name: string): string | undefined {
    return this.kept.knownDevices[name.toLowerCase()]
  }

  /** Whether the name has its password, and only the login is missing. */
  waitsForLogin(name: string): boolean {
    return this.kept.pending?.isSet === true && this.kept.pending.name === name
  }

  async change(change: Partial<Kept>): Promise<void> {
    await this.#file.save({ ...this.kept, ...change }, this.#passphrase)
  }
}

/** The sign-in service of the profile’s deployment. */
export async function signInOf(context: Context): Promise<SignIn> {
  const { discovery } = await context.client('nobody')
  const auth = discovery?.document.services.auth.url
  if (auth === undefined) throw usage('The deployment has no sign-in service', 'svc doctor shows its services')
  const { fetch, origin } = await context.connection()
  const { SignIn: Service } = await import('#client/sign-in')
  return new Service({ auth, ...(fetch && { fetch }), ...(origin !== undefined && { origin }) })
}

export async function sessionOf(context: Context, { kept }: KeptSignIn): Promise<SignInSession> {
  if (kept.token === null)
    throw locked('not_signed_in', 'This profile is not signed in', 'svc signin login NAME, or svc signin register NAME')
  return (await signInOf(context)).resume(kept.token)
}

export function passwords(context: Context, given: Given): Passphrases {
  const typed = option(given, 'passwordFd')
  if (typed !== undefined && !/^\d{1,4}$/.test(typed))
    throw usage('--password-fd takes the number of a descriptor', 'open it for svc, such as --password-fd 4 4<file')
  const descriptor = typed === undefined ? undefined : Number(typed)
  return new Passphrases(context.environment, context.output, descriptor, PASSWORD)
}
