import * as z from 'zod'
import { invalid } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, type Given, option, type Result } from '../result.ts'

/** Without the salt nobody can show what was committed to. */
const openingSchema = z.strictObject({
  format: z.literal('svc/commitment-opening/v1'),
  id: z.string(),
  saltB64u: z.string(),
})

export async function commit(context: Context, given: Given): Promise<Result> {
  const name = argument(given, 0)
  const content = await context.read(name)
  const file = context.pathOf(option(given, 'out') ?? `${name}.opening.json`)
  if (context.options.dryRun) return { data: { opening: file }, text: `Would commit to ${name}.` }
  await mustBeNew(file)
  const { commitment, saltB64u } = await (await context.client()).provenance.commit(content)
  const { id } = commitment
  await writeNew(file, `${JSON.stringify({ format: 'svc/commitment-opening/v1', id, saltB64u }, null, 2)}\n`)
  return {
    data: { id, opening: file },
    text: [id, `Opening  ${file}`, `Next: keep it with ${name}; anyone who has both runs svc commitment verify`],
  }
}

/** The commitment comes from the service, so that its time is not a claim of the person who opens it. */
export async function verifyCommitment(context: Context, given: Given): Promise<Result> {
  const [name, file] = [argument(given, 0), argument(given, 1)]
  const parsed = openingSchema.safeParse(await context.readJson(name))
  if (!parsed.success)
    throw invalid('malformed', `${name} is not an opening`, 'pass the file that svc commitment make wrote')
  const { id, saltB64u } = parsed.data
  const content = await context.read(file)
  const [commitment, { verifyOpening }] = await Promise.all([
    (await context.client('nobody')).provenance.commitment(id),
    import('#client/verify'),
  ])
  verifyOpening(commitment, saltB64u, content)
  const { did, created_at_ms: createdAt } = commitment
  return {
    data: { verdict: 'valid', id, did, createdAt },
    text: `valid: ${did ?? 'somebody'} committed to ${file} by ${new Date(createdAt).toISOString()}`,
  }
}
