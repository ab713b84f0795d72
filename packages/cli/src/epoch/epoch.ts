import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'

export async function showEpoch(context: Context): Promise<Result> {
  const current = await (await context.client()).epochs.current()
  const { epoch } = current
  if (!epoch) return { data: current, text: 'No epoch is open.', exitCode: EXIT.pending }
  const { number, closesAt, joined, acknowledged } = epoch
  return {
    data: current,
    text: [
      `epoch ${number}, until ${new Date(closesAt).toISOString()}`,
      `${joined} joined, ${acknowledged} acknowledged it`,
    ],
  }
}

export async function joinEpoch(context: Context): Promise<Result> {
  if (context.options.dryRun) return { data: {}, text: 'Would join the open epoch.' }
  const { epochs } = await context.client()
  const { epoch } = await epochs.join()
  const member = await epochs.acknowledge(epoch)
  return {
    data: member,
    text: `You are in epoch ${epoch}.`,
  }
}
