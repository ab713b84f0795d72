import type { RecoveryMeaning } from '@svc/client/recovery-words'

export const words = {
  firstTitle: 'Write down your recovery words',
  firstLead:
    'If the root key is ever lost or stolen, you can recover your identity with these 24 words, any number of times. They exist only on this page: print them or write them down, and keep the paper away from your devices.',
  secondTitle: 'Write down the second sheet',
  secondLead: 'Keep it in a different place than the first sheet. Either sheet works by itself.',
  sheet: (number: number) => `Sheet ${number}`,
  code: 'The words as a QR code',
  written: 'I have written them down',
  print: 'Print',
  checkTitle: 'Check what you wrote down',
  checkLead: 'Type two of the words from the paper.',
  word: (position: number) => `Word ${position}`,
  check: 'Check',
  wrongWord: (position: number) => `Word ${position} does not match. Check the paper, or show the words again.`,
  showAgain: 'Show the words again',
  skip: 'Continue without checking',
  skipHint: 'Your identity then shows this sheet as not checked.',
  anotherTitle: 'A second sheet?',
  anotherLead:
    'A second sheet has other words and belongs in another place. Use it if the first sheet is lost, or if somebody has seen it.',
  another: 'Make a second sheet',
  oneIsEnough: 'One sheet is enough',
  fileTitle: 'Keep the recovery file',
  fileLead:
    'With this file, your words recover the identity in a day. Without it, the recovery takes 30 days, and anyone with the root key can stop it. The file has no secrets: keep a copy outside of this browser. When the root key is replaced, the file becomes outdated and you get a new one.',
  download: 'Download the recovery file',
  fileDone: 'Continue',
  title: 'Recovery',
  meanings: {
    words_and_file: 'Your words and the recovery file can recover this identity in a day.',
    words:
      'Your words alone can recover this identity in 30 days, but only while nobody else has the root key. Download the recovery file.',
    root_and_device:
      'No words were checked. If they are lost, the root key and a device together can replace them in 30 days.',
    never: 'No words were checked. If they are lost, the root key of this identity can never be replaced.',
  } satisfies Record<RecoveryMeaning, string> as Readonly<Record<RecoveryMeaning, string>>,
  uncommitted: 'This identity has no recovery words. Anyone who steals the root key can take it over within a day.',
  notYet:
    'Your words and the recovery file can replace the root key if a device or the operator confirms it. After that, they need no confirmation.',
  unknown:
    'The recovery words of this identity were created on another device. That device shows how you can recover with them.',
  sheetChecked: (number: number, when: string) => `Sheet ${number}: checked on ${when}`,
  sheetUnchecked: (number: number) => `Sheet ${number}: not checked`,
  sheetVoid: (number: number) => `Sheet ${number}: replaced. It no longer works.`,
  checkSheet: 'Check a sheet',
  typeAll: 'The 24 words of the sheet',
  typeAllHint: 'They stay in this browser, which does not store them.',
  compare: 'Compare',
  checked: (number: number) => `These are the words of sheet ${number}.`,
  otherSheet: 'These words belong to none of your sheets.',
  cancel: 'Cancel',
  wrongCount: 'A sheet has 24 words.',
  unknownWord: (position: number) => `Word ${position} is not on the list.`,
  wrongWords: 'A word is wrong, or two words are swapped.',
  otherTitle: 'Your other sheet',
  otherLead:
    'This identity has another sheet. Enter its words too, so that both sheets can be used for the next recovery. Otherwise only the sheet that you have just used can.',
  otherAdd: 'Use this sheet too',
  otherNone: 'Continue without it',
}
export type SheetWords = typeof words
