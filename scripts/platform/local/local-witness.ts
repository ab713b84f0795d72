import { join } from 'node:path'
import { Transport } from '@svc/client'
import { beaconOrigin } from '@svc/protocol/merkle/beacon'
import { beaconKeysOf } from '@svc/tlog/beacon-keys'
import { parseVerifierKey } from '@svc/tlog/note-keys'
import { witnessKeysOf } from '@svc/witnessing/keys'
import { type FollowedDeployment, RunningWitness } from '@svc/witnessing/running-witness'
import type { LocalLog } from './log-list.ts'

/** Cosignatures are limited to 20 a minute for an address. */
const EVERY_SECONDS = 15

export interface LocalWitnessOptions {
  readonly stateDir: string
  readonly host: string
  readonly port: number
  readonly seed: Uint8Array
  readonly realm: string
  /** The logs of the platform. The beacon has the seed of the directory's. */
  readonly logs: readonly LocalLog[]
  readonly onLog: (line: string) => void
}

/** A witness beside the platform, which cosigns the beacon. */
export async function startLocalWitness(options: LocalWitnessOptions): Promise<RunningWitness> {
  const { stateDir, host, port, realm, seed, logs, onLog } = options
  const directory = logs.find(({ series }) => series === 'transparency')
  const origin = beaconOrigin(realm, directory?.period ?? '')
  const beacon = directory ? await beaconKeysOf(directory.seed, directory.seedVersion, origin) : []
  return RunningWitness.start({
    keys: await witnessKeysOf(`localhost:${port}/witness`, seed),
    state: join(stateDir, 'witness.sqlite'),
    host,
    port,
    logs: [{ origin, keys: beacon.flatMap(({ verifierKey }) => parseVerifierKey(verifierKey) ?? []) }],
    onLine: (line) => onLog(`witness: ${line}`),
  })
}

/** Call it once the logs are open: the services cache for a while that there is none. */
export function followDeployment(
  witness: RunningWitness,
  { realm, ...deployment }: Omit<FollowedDeployment, 'transport'> & { readonly realm: string },
): void {
  const transport = new Transport({ realm, origin: 'http://localhost:3000' })
  witness.follow({ ...deployment, transport }, EVERY_SECONDS)
}
