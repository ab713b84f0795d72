import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { CliError, usage } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { readTextIfThere } from '../texts.ts'

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/

/** A deployment and the identity to act as there. Holds nothing secret. */
const profileSchema = z.strictObject({
  /** Origin of core. */
  core: z.string(),
  realm: z.string(),
  /** Sent as `Origin`; some services require one. */
  origin: z.string().nullable(),
  /** Of the documentation, for the addresses in errors. */
  docs: z.string(),
  did: z.string().nullable(),
  /** A program that holds the root key, and its arguments. */
  signer: z.array(z.string()).nullable(),
  /** Of a key of the signer that replaced another root key. */
  lineage: z.strictObject({ scope: z.string(), epoch: z.int() }).nullable().default(null),
  /** As which device this machine joined, and under which root key; null where it did not. */
  device: z.strictObject({ deviceId: z.string(), epoch: z.int() }).nullable().default(null),
})
export type Profile = z.infer<typeof profileSchema>

/** Of a profile without an identity. */
export const NOBODY = { did: null, signer: null, lineage: null, device: null } as const

/** Profiles as files, one each. */
export class Profiles {
  readonly #folder: string

  constructor(config: string) {
    this.#folder = join(config, 'profiles')
  }

  /** Null if there is none of this name. */
  async read(name: string): Promise<Profile | null> {
    const path = this.#pathOf(name)
    const text = await readTextIfThere(path)
    if (text === null) return null
    const parsed = profileSchema.safeParse(jsonOf(text))
    if (parsed.success) return parsed.data
    throw new CliError({
      exitCode: EXIT.usage,
      code: 'broken_profile',
      message: `${path} is not a profile`,
      next: `delete it and run svc init --profile ${name}`,
      page: '/developer/cli#profiles',
    })
  }

  async write(name: string, profile: Profile): Promise<void> {
    const path = this.#pathOf(name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(`${path}.next`, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.next`, path)
  }

  async names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => [])
    return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : [])).toSorted()
  }

  #pathOf(name: string): string {
    if (!NAME.test(name)) throw usage(`"${name}" cannot name a profile`, 'use a-z, 0-9 and -, at most 32 characters')
    return join(this.#folder, `${name}.json`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
