import { dirname } from 'node:path'
import { configsOf, type TestGroup } from '../projects/groups.ts'
import type { Change, Outcome, Step } from '../runs/step-runner.ts'
import { callOf, runVitest } from '../runs/vitest-run.ts'

/** The vitest projects of a group. */
export const tests = (group: TestGroup, about: string): Step => ({
  name: group,
  about,
  isAffectedBy: (change) => configsOf(group).some((config) => testsIn(config, change).length > 0),
  run: (change) => runGroup(group, change),
})

/** With a change, a project in whose folder something changed runs whole, and of the others the files that it can affect. */
function runGroup(group: TestGroup, change: Change | undefined): Promise<Outcome> {
  const configs = configsOf(group).filter((config) => !change || testsIn(config, change).length > 0)
  const { config, args, env } = callOf(configs, change ? configs.flatMap((one) => testsIn(one, change)) : [])
  return runVitest(config, args, env)
}

function testsIn(config: string, { tests: affected }: Change): readonly string[] {
  return affected.filter((test) => test.startsWith(folderOf(config)))
}

/** The folder of a project's tests. */
const folderOf = (config: string) => (config.startsWith('scripts/') ? 'scripts/' : `${dirname(config)}/`)
