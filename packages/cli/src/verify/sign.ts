import type { NewMessage } from '#client'
import { shellWordOf } from '#client/text'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

/** Of a signature that is for everybody. */
const AUDIENCE = 'file'

/** As a message of an application: whatever is in the file, it cannot pass as a statement, a block or a request. */
export async function sign(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const content = await context.read(name)
  const audience = option(given, 'for') ?? AUDIENCE
  const file = context.pathOf(option(given, 'out') ?? `${name === '-' ? 'stdin' : name}.signed.json`)
  const did = await context.did()
  if (context.options.dryRun) return { data: { file, did, audience }, text: `Would write ${file}` }
  await mustBeNew(file)
  const owner = await context.asserter()
  const { realm } = await context.profile()
  const now = context.environment.now()
  const signed = await owner.signMessage({ realm, audience, content, now, inception: await known(context, did) })
  await writeNew(file, `${JSON.stringify(signed, null, 2)}\n`)
  return {
    data: { file, did, audience },
    text: [
      `Wrote ${file}`,
      `Next: hand it over with the file; svc verify ${shellWordOf(file)} --file ${shellWordOf(name)} verifies it`,
    ],
  }
}

/** The newest event of the inception log that a command has seen. Asks nobody. */
async function known(context: Context, did: string): Promise<NonNullable<NewMessage['inception']> | null> {
  const { Memory } = await import('#client')
  const [{ trustStore }, { realm }] = await Promise.all([context.connection(), context.profile()])
  const memory = new Memory([realm], { store: trustStore })
  const newest = (await memory.recall({ kind: 'inception', of: did })).at(-1)
  return newest ? { sequence: newest.position, hash: newest.hash } : null
}
