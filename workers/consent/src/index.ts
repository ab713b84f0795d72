import { app } from './app.ts'

export { ConsentCreatorObject } from './creator/object.ts'
export { ConsentPlacementObject } from './placement/object.ts'
export { ConsentStoreObject } from './store/object.ts'

export default app
