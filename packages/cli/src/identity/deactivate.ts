import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'

export async function deactivate(context: Context): Promise<Result> {
  const did = await context.did()
  if (context.options.dryRun)
    return {
      data: { did, status: 'dry-run', deadline: null },
      text: `Would end ${did} for good. Nobody could undo it.`,
    }
  await context.confirm(`End ${did} for good? Nobody can undo it.`)
  const ended = await (await context.client()).security.deactivate()
  if (ended.status === 'deactivated') return { data: ended, text: `${did} has ended.` }
  const until = ended.deadline === null ? '' : ` on ${new Date(ended.deadline).toISOString()}`
  return { data: ended, text: `${did} ends${until}, unless one of its devices stops it.`, exitCode: EXIT.pending }
}
