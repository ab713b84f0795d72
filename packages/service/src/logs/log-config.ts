import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import { realmSchema, realmsSchema } from '@svc/protocol/base/realm'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { type LogSeries, logNameOf, logPeriodSchema } from '@svc/protocol/merkle/log-name'
import * as z from 'zod'

/** A seed as configured; an operator leaves it out with an empty variable. */
export const seedField = z.union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)]).optional()

/** The variables of a Worker that keeps a log. */
export const logConfigFields = {
  /** The period of the log that is open: a year and a letter. Another period is another log with another key. */
  LOG_PERIOD: logPeriodSchema,
  /** Counts the seeds that the deployment has had for its logs; part of every derived key. */
  LOG_KEY_VERSION: z.int().min(1),
  /** The realm in which the logs were founded; '' for the first of `REALMS`. Set it before the deployment moves. */
  LOG_NAMESPACE: z.union([z.literal(''), realmSchema]),
}

/** What a Durable Object needs of the configuration to know the name of its log. */
export const logConfigSchema = z.object({ REALMS: realmsSchema, ...logConfigFields })
export type LogConfig = z.infer<typeof logConfigSchema>

export function namespaceOf({ LOG_NAMESPACE, REALMS }: Pick<LogConfig, 'LOG_NAMESPACE' | 'REALMS'>): string {
  return LOG_NAMESPACE || REALMS[0]
}

/** The name of the log of a series that takes leaves now. */
export function openLogName(config: LogConfig, series: LogSeries): string {
  return logNameOf(namespaceOf(config), series, config.LOG_PERIOD)
}

/** Signs checkpoints of one log with the key of that log; without a seed it signs nothing. */
export function logSignerOf(seedHex: string | undefined, { LOG_KEY_VERSION, REALMS }: LogConfig, log: string) {
  const seed = seedHex ? toHex(logKeySeed(fromHex(seedHex), LOG_KEY_VERSION, log)) : undefined
  return new DeploymentSigner(seed, REALMS)
}
