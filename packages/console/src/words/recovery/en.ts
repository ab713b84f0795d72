import type { RecoveryStage } from '@svc/client'

export const words = {
  title: 'Recover your identity',
  lead: 'The words that you wrote down replace a root key that was lost or stolen. Your DID stays the same.',
  file: 'Recovery file',
  fileHint: 'You downloaded it when you wrote the words down, and after each recovery.',
  noFile: 'I do not have the file',
  hasFile: 'I have the file',
  noFileLead:
    'Without the file, the recovery takes 30 days, and any key of your identity can stop it. Keep the file that you get now: you need it to finish.',
  did: 'DID of the identity',
  badDid: 'Enter the DID of the identity: it begins with “did:svc:”.',
  needsFile: 'These are the words of a key, not of a sheet. They work only with their recovery file.',
  otherIdentity: 'These words do not belong to this identity, or they were replaced.',
  key: 'Recovery words',
  keyHint: 'The 24 words in their order, or what the QR code contains. They stay in this browser.',
  begin: 'Start the recovery',
  chooseFile: 'Choose the recovery file first.',
  notRecoveryFile: 'This is not a recovery file.',
  isBackup: 'This is a backup with the root key itself. Choose “I have a backup file” on the start page.',
  wrongCount: 'There must be 24 words.',
  unknownWord: (position: number) => `Word ${position} is not on the list.`,
  wrongWords: 'The words or the code are not correct. Compare them with what you wrote down.',
  otherKey: 'These words do not belong to this recovery file.',
  rivalTitle: 'Another request is pending',
  rivalLead: 'Somebody has asked to replace the root key with recovery words of this identity, or to end the identity.',
  rivalMineLead: 'If it was you, here or on another device, continue there with the words and the file that you used.',
  rivalNotMineLead:
    'If it was not you, somebody has words of yours. Dispute the request: it is stopped or delayed, and only a device of yours or the operator can then decide.',
  rivalMine: 'It was me',
  rivalNotMine: 'It was not me: dispute it',
  standing: 'Your recovery',
  stages: {
    ready: 'It has not started yet.',
    opened: 'It is public, but it is not confirmed yet.',
    waiting: 'A device has confirmed it. The old root key can delay it once, but not stop it.',
    contested: 'Somebody has delayed it with the old root key. That is not possible a second time.',
    due: 'It can be finished now.',
    stopped: 'It was stopped with a key of your identity.',
    blocked: 'Somebody else is replacing the root key, and cannot be overtaken.',
    done: 'The new key is the root key.',
    void: 'It is too late: the root key was replaced with another one, or the identity has ended.',
  } satisfies Record<RecoveryStage, string> as Readonly<Record<RecoveryStage, string>>,
  waitingByWords:
    'The words and the old root key have signed it. Only other recovery words can stop it; the root key and devices cannot.',
  waitingAlone: 'Only the words have signed it. Until then, any key of your identity can stop it.',
  comeBack: (when: string) => `Come back on ${when} with the recovery file and the words. This browser stores neither.`,
  needsDevice:
    'This browser is not a device of your identity. If you still have one, open this page on it: the device confirms the recovery. If you have none, the operator has to confirm it.',
  unlockLead:
    'This browser has the key of a device, which is encrypted. If it is a device of your identity, it can confirm the recovery.',
  unlock: 'Unlock and confirm',
  otherDevice: 'This browser is a device of another identity.',
  needsUnlocked: 'If you cannot unlock it, and have no other device, the operator has to confirm the recovery.',
  needsOperator: 'No device of yours can confirm it. The operator has to.',
  operatorFile: 'Download the request for the operator',
  operatorHint:
    'Send the operator your request, and prove who you are. The file has no secrets. Check here afterwards.',
  proceed: 'Check again',
  checked: 'Checked.',
  doneTitle: 'You have your identity back',
  formerText:
    'This browser has a root key from before. Unlock it, and messages and notes that were encrypted for it can still be opened.',
  keepFormer: 'Unlock and keep it',
  formerLost: 'If you continue without it, it is deleted from this browser.',
  withoutFormer: 'Continue without it',
  otherRoot:
    'The root key in this browser belongs to another identity. Make a backup of it before you continue: the new key takes its place.',
  doneText:
    'Choose what encrypts the new root key in this browser. You then get a new recovery file. Your words stay the same.',
  passkeyName: 'Your identity',
}
export type RecoveryWords = typeof words
