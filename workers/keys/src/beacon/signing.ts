import { fromHex } from '@svc/protocol/base/hash'
import { beaconOrigin } from '@svc/protocol/merkle/beacon'
import { namespaceOf } from '@svc/service'
import { beaconKeysOf } from '@svc/tlog/beacon-keys'
import type { SigningKey } from '@svc/tlog/note-keys'
import type { BeaconConfig } from './config.ts'

type NameConfig = Pick<BeaconConfig, 'LOG_NAMESPACE' | 'REALMS' | 'LOG_PERIOD'>

export function beaconName(config: NameConfig): string {
  return beaconOrigin(namespaceOf(config), config.LOG_PERIOD)
}

/** `seed` is that of the logs, of the configured version. Empty without it. */
export async function beaconKeys(
  seed: string | undefined,
  config: NameConfig & Pick<BeaconConfig, 'LOG_KEY_VERSION'>,
): Promise<SigningKey[]> {
  return seed === undefined ? [] : beaconKeysOf(fromHex(seed), config.LOG_KEY_VERSION, beaconName(config))
}
