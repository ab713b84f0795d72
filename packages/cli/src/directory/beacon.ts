import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { asFile } from '../files.ts'
import { type Given, list, option, type Result } from '../result.ts'
import { transportBeside } from '../transport.ts'

/** Somebody who keeps the note can show later what the deployment said. */
export async function beacon(context: Context, given: Given): Promise<Result> {
  const client = await context.client('nobody')
  const keys = client.discovery?.document.services.keys.url
  if (keys === undefined) throw usage('The deployment has no key directory', 'svc doctor shows its services')
  const { readBeacon } = await import('#client/beacon')
  const transport = await transportBeside(client, await context.connection())
  const expected = list(given, 'key')
  const listed = client.discovery?.pin.list?.statement.beacon
  const reading = await readBeacon(transport, keys, {
    ...(expected.length > 0 && { verifierKeys: expected }),
    ...(listed && { listed }),
  })
  const out = option(given, 'out')
  const { note: _, proof, ...shown } = reading
  const file = out === undefined ? null : context.pathOf(out)
  if (file !== null) await asFile(context, out, proof, {})
  return {
    data: { ...shown, file },
    text: [
      `${reading.origin}: ${reading.size} leaves, signed by ${reading.signedBy.length} keys, the newest of ${new Date(reading.at).toISOString()}`,
      ...reading.witnesses.map(({ url, hasCosigned }) => `${hasCosigned ? 'cosigned by' : 'not cosigned by'} ${url}`),
      ...reading.heads.map(({ log, size, root }) => `${log}  ${size} entries, root ${root.slice(0, 16)}…`),
      ...(file === null ? [] : [`Wrote ${file}`]),
    ],
  }
}
