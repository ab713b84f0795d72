import { workerProjectOf } from '../../scripts/checks/projects/worker-project.ts'

export default workerProjectOf(import.meta.filename)
