import { CORE } from '../../scripts/checks/projects/core-parts.ts'
import { workerProject } from '../../scripts/checks/projects/worker-tests.ts'

export default workerProject('core', CORE.rest)
