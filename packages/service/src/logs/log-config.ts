import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import { type Realms, realmSchema, realmsSchema } from '@svc/protocol/base/realm'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { type LogSeries, logNameOf, logPeriodSchema } from '@svc/protocol/merkle/log-name'
import type { NextLog } from '@svc/protocol/merkle/roll'
import * as z from 'zod'

/** The variables of a Worker that keeps a log. */
export const logConfigFields = {
  /** The period of the log that is open, or of one before it: a year and a letter. */
  LOG_PERIOD: logPeriodSchema,
  /** The version of the seed for the key of the first log, and for the beacon; part of every derived key. */
  LOG_KEY_VERSION: z.int().min(1).max(99),
  /** The realm in which the logs were founded; '' for the first of `REALMS`. Set it before the deployment moves. */
  LOG_NAMESPACE: z.union([z.literal(''), realmSchema]),
}

/** What a Durable Object needs of the configuration to know the name of its log. */
export const logConfigSchema = z.object({ REALMS: realmsSchema, ...logConfigFields })
export type LogConfig = z.infer<typeof logConfigSchema>

export function namespaceOf({ LOG_NAMESPACE, REALMS }: Pick<LogConfig, 'LOG_NAMESPACE' | 'REALMS'>): string {
  return LOG_NAMESPACE || REALMS[0]
}

/** The name of the log of a series that the configuration has. Once it is closed, its object leads to the next. */
export function configuredLog(config: LogConfig, series: LogSeries): string {
  return logNameOf(namespaceOf(config), series, config.LOG_PERIOD)
}

/** Signs checkpoints of logs, each with its own key; without the seed of its version it signs nothing. */
export class LogSigners {
  readonly #seeds: ReadonlyMap<number, string>
  readonly #realms: Realms
  readonly #signers = new Map<string, DeploymentSigner>()

  constructor(seeds: ReadonlyMap<number, string>, realms: Realms) {
    this.#seeds = seeds
    this.#realms = realms
  }

  /** The signer of one log, kept: deriving a key takes milliseconds, and there are few logs. */
  of({ log, keyVersion }: NextLog): DeploymentSigner {
    const name = `${keyVersion} ${log}`
    const signer = this.#signers.get(name) ?? this.#derived(log, keyVersion)
    this.#signers.set(name, signer)
    return signer
  }

  #derived(log: string, keyVersion: number): DeploymentSigner {
    const seedHex = this.#seeds.get(keyVersion)
    const seed = seedHex === undefined ? undefined : toHex(logKeySeed(fromHex(seedHex), keyVersion, log))
    return new DeploymentSigner(seed, this.#realms)
  }
}
