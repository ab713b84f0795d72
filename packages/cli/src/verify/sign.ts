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
  const signed = await owner.signMessage({ realm, audience, content, now: context.environment.now() })
  await writeNew(file, `${JSON.stringify(signed, null, 2)}\n`)
  return {
    data: { file, did, audience },
    text: [
      `Wrote ${file}`,
      `Next: hand it over with the file; svc verify ${shellWordOf(file)} --file ${shellWordOf(name)} verifies it`,
    ],
  }
}
