import type { Context } from '../context.ts'
import type { Result } from '../result.ts'

/** How many of the newest anchors are recomputed: the most that core shows. */
const WINDOW = 2_048

/**
 * Compares the log with what `svc` has seen of it, whose state it keeps; the SDK throws if the log does not extend that.
 * Signed by the key in the list of logs, and by the root of the newest anchors.
 */
export async function followLog(context: Context): Promise<Result> {
  const { anchors } = await context.client('nobody')
  const logs = await anchors.logs()
  const [{ logs: listed }, checkpoint] = await Promise.all([logs.list(), anchors.checkpoint()])
  await logs.verify(checkpoint)
  const { log, size, root } = checkpoint.statement
  const { anchors: recomputed } = await anchors.stateProof(WINDOW)
  return {
    data: { log, size, root, recomputed: recomputed.length, logs: listed.length },
    text: [
      `${log}: ${size} entries, root ${root.slice(0, 16)}…: verified, and extends what was seen before`,
      `${recomputed.length} of the newest anchors give their root; ${listed.length} logs are in the signed list.`,
    ],
  }
}
