import type { AnchorsWords } from './en.ts'

export const words: AnchorsWords = {
  title: 'Verankerungen',
  lead: 'Beweisen Sie später, dass eine Datei jetzt vorlag. Ihr Hash kommt in ein öffentliches Log, das niemand unbemerkt umschreibt; die Datei bleibt hier.',
  anchor: 'Eine Datei verankern',
  file: 'Datei',
  fileHint: 'Der Hash wird in diesem Browser berechnet, die Datei nicht hochgeladen.',
  hashing: (percent: number) => `Der Hash wird berechnet … ${percent} %`,
  hash: 'SHA3-384',
  label: 'Bezeichnung',
  labelHint: 'Freiwillig. Alle können sie lesen. Bis zu 64 Buchstaben, Ziffern und die Zeichen . _ : -',
  findable: 'Andere dürfen es mit der Datei finden',
  findableHint: 'Alle, die die Datei haben, finden diesen Eintrag, und dass er von Ihnen ist.',
  blindHint:
    'Niemand findet diesen Eintrag mit der Datei. Ihre Geräte behalten, was ihn beweist; sichern Sie auch den Beweis.',
  unnamed: 'Ohne Bezeichnung',
  anchorIt: 'Verankern',
  anchored: 'Der Hash wurde eingereicht.',
  mine: 'Ihre Verankerungen',
  none: 'Noch keine.',
  waiting: 'wartet auf das Log',
  states: { submitted: 'im Log', published: 'veröffentlicht', confirmed: 'bestätigt' },
  save: 'Beweis sichern',
  check: 'Prüfen',
  first: (count: number) => `Das sind die neuesten ${count}.`,
}
