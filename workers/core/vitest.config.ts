import { workerProject } from '../../scripts/lib/worker-tests.ts'

export default workerProject('core')
