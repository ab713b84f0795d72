import { namedTests, projectsAffectedBy, type Reach } from './affected-projects.ts'
import type { Plan } from './trial.ts'

/** Every project that the fault can affect, whole. Those with a test that the fault names come first, the quickest before others. */
export function wholeProjects(reach: Reach): Plan {
  return (fault, path) => {
    const affected = projectsAffectedBy(path, reach)
    const isNamed = (config: string) => namedTests(fault, config, reach.tests).length > 0
    const ordered = [...affected.filter(isNamed), ...affected.filter((config) => !isNamed(config))]
    return ordered.map((config) => ({ config, files: [], bail: true }))
  }
}

/** Only the test files that the fault names: a quick look at a fault that is being written. */
export function namedTestsOnly(reach: Reach): Plan {
  return (fault, path) =>
    projectsAffectedBy(path, reach)
      .map((config) => ({ config, files: namedTests(fault, config, reach.tests), bail: true }))
      .filter(({ files }) => files.length > 0)
}
