import { capture } from '@svc/platform/command'
import { SetupError } from '@svc/platform/workspace'

/** Files that differ from the merge base with `base`: committed, uncommitted and untracked. */
export async function changedFiles(base: string | undefined): Promise<string[]> {
  const from = base ?? ((await lines('rev-parse', '--verify', '--quiet', 'origin/main')) ? 'origin/main' : 'HEAD')
  const [fork] = (await lines('merge-base', from, 'HEAD')) ?? []
  if (fork === undefined) throw new SetupError(`HEAD and ${from} have no common commit. Name another one with --base.`)
  const changed = await lines('diff', '--name-only', '--no-renames', fork)
  const added = await lines('ls-files', '--others', '--exclude-standard')
  return [...new Set([...(changed ?? []), ...(added ?? [])])].toSorted()
}

/** The lines git prints, or undefined if it fails. */
async function lines(...args: string[]): Promise<string[] | undefined> {
  const { code, output } = await capture('git', args)
  return code === 0 ? output.split('\n').filter((line) => line !== '') : undefined
}
