import type { Context } from '../context.ts'
import { argument, type Given, type Result } from '../result.ts'

export async function listDevices(context: Context): Promise<Result> {
  const [client, did, { standingDevices }] = await Promise.all([
    context.client(),
    context.did(),
    import('#client/functions'),
  ])
  const devices = await standingDevices(client, did, context.environment.now())
  const shown = devices.map(({ deviceId, standing, countsAt, capabilities }) => ({
    deviceId,
    status: standing,
    countsAt,
    capabilities,
  }))
  const hasEnded = shown.some(({ status }) => status === 'ended')
  return {
    data: { devices: shown },
    text:
      shown.length === 0
        ? 'This identity has no devices. Next: svc device pair'
        : [
            ...shown.map(({ deviceId, status, countsAt, capabilities }) =>
              [
                deviceId,
                status,
                ...(countsAt === null ? [] : [`standing from ${iso(countsAt)}`]),
                capabilities.join(' '),
              ].join('  '),
            ),
            ...(hasEnded ? ['Ended: the root key was replaced since. To bring a device back: svc device pair'] : []),
          ],
  }
}

const iso = (time: number) => new Date(time).toISOString()
/** A device with an agreement gains standing within a day, and a device without one only after 30 days. */
const SOON_MS = 2 * 86_400_000

/** Tells when a new device gains standing in a rotation, and how that could be sooner. */
export function countsLine(countsAt: number | null, now: number): string[] {
  if (countsAt === null) return []
  const line = `It has standing in rotations from ${iso(countsAt)}.`
  if (countsAt - now < SOON_MS) return [line]
  return [
    line,
    'That takes 30 days because no other device agreed. To be faster, pair on a machine with the root key and a device that has standing.',
  ]
}

export async function revoke(context: Context, given: Given): Promise<Result> {
  const deviceId = argument(given, 0)
  if (context.options.dryRun) return { data: { deviceId }, text: `Would end the device ${deviceId}.` }
  await context.confirm(`End the device ${deviceId} for good?`)
  await (await context.client()).devices.revoke(deviceId)
  return { data: { deviceId }, text: `The device ${deviceId} has ended.` }
}
