import type { Client, Device, Identity } from '#client'

interface Attesting {
  /** The new root key. */
  readonly root: Identity
  readonly devices: readonly Device[]
  /** Stores the devices, before a new one among them is attested. */
  readonly keep: (devices: readonly Device[]) => Promise<void>
}

/** Attests devices again after a rotation. A second call finishes what the first one began. */
export async function attestedAgain(client: Client, { root, devices, keep }: Attesting): Promise<readonly Device[]> {
  let all = devices
  for (const [at, device] of devices.entries()) {
    if (device.membership?.rootEpoch === root.epoch) continue
    const attested = await attest(client, root, device).catch(async (error: unknown) => {
      if (!isRefusal(error, 'device_revoked')) throw error
      // A thief may have ended a device, which is final: a new one takes its place.
      const { Device } = await import('#client/identity')
      const fresh = await Device.create(device.options)
      await keep(all.with(at, fresh))
      return attest(client, root, fresh)
    })
    all = all.with(at, attested)
  }
  return all
}

async function attest(client: Client, root: Identity, device: Device): Promise<Device> {
  const { realm, realms, devices } = client
  const acceptance = await device.acceptance(root.did, { realm, inception: await devices.head() })
  const attestation = await devices.attest(acceptance).catch(async (error: unknown) => {
    // Core has the attestation of an earlier run, whose answer was lost.
    const earlier = isRefusal(error, 'device_exists') ? await earlierOf(client, root, device) : undefined
    if (!earlier) throw error
    return earlier
  })
  return device.attested(attestation, await client.keyHistory.of(root.did), realms)
}

async function earlierOf({ devices }: Client, { epoch }: Identity, { deviceId }: Device) {
  const { attestations } = await devices.verify()
  return attestations.findLast(({ statement }) => statement.deviceId === deviceId && statement.rootEpoch === epoch)
}

function isRefusal(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'ServiceError' && 'error' in error && error.error === code
}
