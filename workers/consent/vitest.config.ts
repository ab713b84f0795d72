import { workerProject } from '../../scripts/checks/projects/worker-tests.ts'

export default workerProject('consent')
