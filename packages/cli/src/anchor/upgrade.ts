import type { AnchorStamp, Client, KeptBundle } from '#client'
import { shellWordOf } from '#client/text'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { replace } from '../files.ts'
import { argument, flag, type Given, type Result } from '../result.ts'
import { readAnyStamp } from './stamp.ts'

const MAX_WAIT_MS = 300_000
const WAIT_MS = 2000

/**
 * Completes a stamp, or adds new cosignatures to a bundle. Replaces the file only with a bundle that verifies; on any
 * failure, the file stays unchanged.
 */
export async function upgrade(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const found = await readAnyStamp(context, name)
  const client = await context.client('nobody')
  const pending = found.kind === 'pending' ? found.pending : null
  if (pending && !(await isLogged(context, client, pending, flag(given, 'wait'))))
    return {
      data: { stamp: name, isComplete: false, witnesses: null },
      text: `${name} is not in the log yet. Next: svc anchor upgrade ${shellWordOf(name)} --wait`,
      exitCode: EXIT.pending,
    }
  const kept = found.kind === 'pending' ? await client.anchors.complete(found.pending) : found.bundle
  const bundle = await client.anchors.upgrade(kept)
  if (!context.options.dryRun) await replace(context.pathOf(name), `${JSON.stringify(bundle, null, 2)}\n`)
  return {
    data: { stamp: name, isComplete: true, witnesses: bundle.cosigned.length },
    text: [
      `${name} is complete${pending ? '. To verify it without a network later, keep the keys of today with it' : ''}.`,
      witnessed(bundle, name),
      `Next: svc verify ${shellWordOf(name)} --file FILE --evidence known.json, and later with --offline too`,
    ],
  }
}

async function isLogged(
  { environment: { now }, output }: Context,
  client: Client,
  { anchorId }: AnchorStamp,
  isWaiting: boolean,
): Promise<boolean> {
  let record = await client.anchors.read(anchorId)
  const end = now() + (isWaiting ? MAX_WAIT_MS : 0)
  while (record.position === null && now() < end) {
    output.progress('waiting for the log …')
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    record = await client.anchors.read(anchorId)
  }
  return record.position !== null
}

function witnessed({ cosigned }: KeptBundle, name: string): string {
  const [first] = cosigned.map(({ cosignature }) => cosignature.statement.issuedAt).toSorted((a, b) => a - b)
  if (first === undefined)
    return `No witness has cosigned it yet, so its time is the log’s own word: run svc anchor upgrade ${shellWordOf(name)} again later.`
  const many = cosigned.length === 1 ? 'One witness has' : `${cosigned.length} witnesses have`
  return `${many} cosigned it, the first at ${new Date(first).toISOString()}.`
}
