import type { KeptRecovery } from '@svc/client'
import { fileName } from '../backup/file-name.ts'
import { saveFile } from '../shell/save-file.ts'

/** Downloads the recovery file, which has no secrets. */
export function saveRecovery(recovery: KeptRecovery): void {
  saveFile(fileName('recovery', recovery.did), JSON.stringify(recovery))
}
