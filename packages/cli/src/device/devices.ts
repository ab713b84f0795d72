import type { Context } from '../context.ts'
import { argument, type Given, type Result } from '../result.ts'

export async function listDevices(context: Context): Promise<Result> {
  const [client, did, { standingDevices }] = await Promise.all([
    context.client(),
    context.did(),
    import('#client/functions'),
  ])
  const devices = await standingDevices(client, did, context.environment.now())
  const shown = devices.map(({ deviceId, standing, capabilities }) => ({ deviceId, status: standing, capabilities }))
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

export async function revoke(context: Context, given: Given): Promise<Result> {
  const deviceId = argument(given, 0)
  if (context.options.dryRun) return { data: { deviceId }, text: `Would end the device ${deviceId}.` }
  await context.confirm(`End the device ${deviceId} for good?`)
  await (await context.client()).devices.revoke(deviceId)
  return { data: { deviceId }, text: `The device ${deviceId} has ended.` }
}
