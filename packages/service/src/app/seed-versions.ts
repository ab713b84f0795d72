import * as z from 'zod'
import { ConfigError } from './config.ts'

/** The suffix of the secret with the seed of a later version. */
const LATER = /^_([2-9]|[1-9][0-9])$/

/** A seed as configured; an operator leaves it out with an empty variable. */
export const seedField = z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional()

/** Seeds by version: version 1 is the secret `name`, and version 2 is `name_2`. */
export function seedVersionsOf(env: object, name: string): ReadonlyMap<number, string> {
  const seeds = Object.entries(env).flatMap(([variable, value]): [number, string][] => {
    const [, suffix = ''] = variable.startsWith(name) ? (LATER.exec(variable.slice(name.length)) ?? []) : []
    const isSeed = variable === name || suffix !== ''
    const seed = isSeed ? seedField.safeParse(value) : null
    if (seed?.success === false) throw new ConfigError(`configuration: ${variable}`)
    return seed?.data ? [[suffix === '' ? 1 : Number(suffix), seed.data]] : []
  })
  return new Map(seeds)
}
