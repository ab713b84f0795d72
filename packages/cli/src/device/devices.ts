import type { Client } from '@svc/client'
import type { Context } from '../context.ts'
import { argument, type Given, type Result } from '../result.ts'

export async function listDevices(context: Context): Promise<Result> {
  const shown = await standingDevices(await context.client(), await context.did(), context.environment.now())
  const hasEnded = shown.some(({ status }) => status === 'ended')
  return {
    data: { devices: shown },
    text:
      shown.length === 0
        ? 'This identity has no devices. Next: svc device pair'
        : [
            ...shown.map(({ deviceId, status, capabilities }) => `${deviceId}  ${status}  ${capabilities.join(' ')}`),
            ...(hasEnded ? ['Ended: the root key was replaced since. To bring a device back: svc device pair'] : []),
          ],
  }
}

/** The devices of the verified log, with what each may do under the root key of now. */
export async function standingDevices(client: Client, did: string, now: number) {
  const [{ devices }, rootKeys, { deviceStandingOf }] = await Promise.all([
    client.devices.verify(),
    client.keyHistory.of(did),
    import('@svc/client/functions'),
  ])
  const at = { epoch: rootKeys.at(-1)?.epoch ?? 0, now }
  return devices.map((device) => {
    const { deviceId, capabilities } = device
    return { deviceId, status: deviceStandingOf(device, at), capabilities }
  })
}

export async function revoke(context: Context, given: Given): Promise<Result> {
  const deviceId = argument(given, 0)
  if (context.options.dryRun) return { data: { deviceId }, text: `Would end the device ${deviceId}.` }
  await context.confirm(`End the device ${deviceId} for good?`)
  await (await context.client()).devices.revoke(deviceId)
  return { data: { deviceId }, text: `The device ${deviceId} has ended.` }
}
