import type { RecoveryMeaning } from '@svc/client/recovery-words'

export const words = {
  firstTitle: 'Write down your recovery words',
  firstLead:
    'If the root key is ever lost or stolen, these 24 words bring your identity back, as often as you need them. They exist only on this page: print them or write them down, and keep the paper away from your devices.',
  secondTitle: 'Write down the second sheet',
  secondLead: 'Keep it in another place than the first one. Either sheet works by itself.',
  sheet: (number: number) => `Sheet ${number}`,
  code: 'The words as a QR code',
  written: 'I have written them down',
  print: 'Print',
  checkTitle: 'Check what you wrote down',
  checkLead: 'Type two of the words from the paper.',
  word: (position: number) => `Word ${position}`,
  check: 'Check',
  wrongWord: (position: number) => `Word ${position} is another one. Look at the paper, or show the words again.`,
  showAgain: 'Show the words again',
  skip: 'Continue without checking',
  skipHint: 'Your identity then shows this sheet as not checked.',
  anotherTitle: 'A second sheet?',
  anotherLead:
    'A second sheet with other words, for another place, replaces the first one if that is lost or if somebody has seen it.',
  another: 'Make a second sheet',
  oneIsEnough: 'One sheet is enough',
  fileTitle: 'Keep the recovery file',
  fileLead:
    'With this file, your words bring the identity back in a day. Without it they need 30 days, and anybody with the root key can stop them. The file has no secrets: keep a copy outside of this browser. It becomes outdated when the root key is replaced, and you then get a new one.',
  download: 'Download the recovery file',
  fileDone: 'Continue',
  title: 'Recovery',
  meanings: {
    words_and_file: 'Your words and the recovery file bring this identity back in a day.',
    words:
      'Your words alone bring this identity back in 30 days, and only while nobody else has the root key. Download the recovery file.',
    root_and_device:
      'No words were checked. If they are lost, the root key and a device together replace them, in 30 days.',
    never: 'No words were checked. If they are lost, the root key of this identity can never be replaced.',
  } satisfies Record<RecoveryMeaning, string> as Readonly<Record<RecoveryMeaning, string>>,
  uncommitted: 'This identity has no recovery words. Somebody who steals the root key can take it over within a day.',
  notYet:
    'Your words replace the root key together with the recovery file, once a device or the operator confirms it. From then on they need nobody else.',
  unknown: 'The recovery words of this identity were made on another device, which shows what they are good for.',
  sheetChecked: (number: number, when: string) => `Sheet ${number}: checked on ${when}`,
  sheetUnchecked: (number: number) => `Sheet ${number}: not checked`,
  sheetVoid: (number: number) => `Sheet ${number}: replaced. It does nothing any more.`,
  checkSheet: 'Check a sheet',
  typeAll: 'The 24 words of the sheet',
  typeAllHint: 'They stay in this browser, and are not kept.',
  compare: 'Compare',
  checked: (number: number) => `These are the words of sheet ${number}.`,
  otherSheet: 'These words belong to none of your sheets.',
  cancel: 'Cancel',
  wrongCount: 'A sheet has 24 words.',
  unknownWord: (position: number) => `Word ${position} is not on the list.`,
  wrongWords: 'A word is wrong, or two words have changed places.',
  otherTitle: 'Your other sheet',
  otherLead:
    'This identity has another sheet. Enter its words too, so that both work after the next recovery. Without them, only the sheet that you have used does.',
  otherAdd: 'Use this sheet too',
  otherNone: 'Continue without it',
}
export type SheetWords = typeof words
