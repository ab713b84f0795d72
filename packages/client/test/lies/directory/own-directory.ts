import type { AttestDevice } from '@svc/protocol/devices/inception'
import { REALMS } from '../../realm.ts'
import { alice } from '../../sides.ts'
import { device as deviceFrom, deviceLog, headOf } from '../devices.ts'
import { published } from '../published.ts'
import { directory, show } from './listed-device.ts'

/** Alice lists her own packages. The log says that their device was revoked since; `head` is the newest event. */
export async function ownDirectory() {
  const log = await deviceLog()
  const [attestation, , revocation] = log.events
  const { userId, publicKeyB64u } = alice
  const keys = await deviceFrom(3)
  const device = await keys.attested(attestation as AttestDevice, [{ epoch: 0, userId, publicKeyB64u }], REALMS)
  const situation = await directory()
  const { answers, options } = situation
  Object.assign(situation, {
    device,
    head: headOf(revocation!),
    options: { ...options, identity: alice },
    answers: () => ({ ...log.answers(), ...answers() }),
  })
  show(situation, await published(device))
  return situation as typeof situation & { readonly head: ReturnType<typeof headOf> }
}
