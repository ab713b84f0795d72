import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import {
  keysFault,
  keysOf,
  SERVICE_KEY_USES,
  type ServiceKey,
  type ServiceKeyName,
  serviceKeySchema,
} from '@svc/protocol/http/service-keys'
import { type ListKeys, listKeysSchema } from '@svc/protocol/merkle/log-list'
import * as z from 'zod'
import { ConfigError, readConfig, serviceConfigSchema } from './config.ts'

/** One variable for each key: a variable holds 5 kB, a key with its dates 2.8 kB. `scripts/deploy` numbers them. */
const VARIABLE = /^SERVICE_KEY_[0-9]{1,3}$/
const seedSchema = z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional()

/** The published keys that this Worker was given: core gets all of the deployment, the others get their own. */
export function serviceKeysOf(env: object): readonly ServiceKey[] {
  const keys = Object.entries(env).flatMap(([name, value]) => {
    if (!VARIABLE.test(name)) return []
    const parsed = serviceKeySchema.safeParse(value)
    if (!parsed.success) throw new ConfigError(`configuration: ${name}`)
    return [parsed.data]
  })
  const fault = keysFault(keys)
  if (fault !== null) throw new ConfigError(`configuration: SERVICE_KEY: ${fault}`)
  return keys
}

const LIST_KEY_VARIABLE = /^LOG_LIST_KEY_[0-9]{1,2}$/

/** The keys of the log list, one variable each, and how many must sign; null if the deployment has no list. */
export function logListKeysOf(env: object): ListKeys | null {
  const publicKeysB64u = Object.entries(env).flatMap(([name, value]): unknown[] =>
    LIST_KEY_VARIABLE.test(name) ? [value] : [],
  )
  const threshold = (env as Readonly<Record<string, unknown>>)['LOG_LIST_THRESHOLD']
  if (threshold === undefined && publicKeysB64u.length === 0) return null
  const keys = listKeysSchema.safeParse({ threshold, publicKeysB64u })
  if (!keys.success) throw new ConfigError('configuration: LOG_LIST_KEY or LOG_LIST_THRESHOLD')
  return keys.data
}

/** The signer for one use, from the seed of the current key and, during a hand-over, that of the next one. */
export function signerOf(env: object, name: ServiceKeyName): DeploymentSigner {
  const seed = seedOf(name)
  const [current, nextSeed] = [seed, `${seed}_NEXT`].map((variable) => {
    const parsed = seedSchema.safeParse((env as Record<string, unknown>)[variable])
    if (!parsed.success) throw new ConfigError(`configuration: ${variable}`)
    return parsed.data
  })
  const { REALMS } = readConfig(serviceConfigSchema.pick({ REALMS: true }), env)
  return new DeploymentSigner(current, REALMS, { published: keysOf(serviceKeysOf(env), name), nextSeed })
}

function seedOf({ service, use }: ServiceKeyName): string {
  const found = SERVICE_KEY_USES.find((one) => one.service === service && one.use === use)
  if (!found) throw new Error(`${service} signs nothing with a key for ${use}`)
  return found.seed
}
