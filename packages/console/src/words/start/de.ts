import type { StartWords } from './en.ts'

export const words: StartWords = {
  title: 'Willkommen',
  lead: 'Ihre Identität ist ein Schlüssel, kein Konto: Niemand kann sie zurücksetzen, und niemand kann sie Ihnen nehmen. Wählen Sie, wie dieser Browser dazu kommt.',
  create: 'Identität anlegen',
  createLead:
    'Ein neuer Hauptschlüssel entsteht hier und wird sofort verschlüsselt. Dieser Browser arbeitet dann mit einem eigenen Schlüssel, der weniger kann.',
  pair: 'Diesen Browser koppeln',
  pairLead:
    'Sie haben eine Identität auf einem anderen Gerät. Dieser Browser wird eines ihrer Geräte und sieht den Hauptschlüssel nie.',
  signIn: 'Mit einem Konto anmelden',
  signInLead: 'Für Anwendungen mit Passwörtern und Passkeys.',
  operator: 'Eine Installation betreiben',
  operatorLead: 'Mit dem Schlüssel des Betreibers: Einladungen, Codes, Löschungen, Streitfälle und Zustand.',
  protect: 'Hauptschlüssel schützen',
  protectLead:
    'Der Hauptschlüssel wird mit dem verschlüsselt, was Sie wählen, und nur für das entschlüsselt, was nur er kann.',
  protectDevice: 'Schlüssel dieses Browsers schützen',
  protectDeviceLead:
    'Dieser Browser kann keine Schlüssel halten, die niemand lesen kann. Darum wird seiner mit dem verschlüsselt, was Sie wählen.',
  withPasskey: 'Passkey benutzen',
  or: 'oder eine Passphrase:',
  passphrase: 'Passphrase',
  passphraseAgain: 'Noch einmal dieselbe',
  passphraseHint: (length) => `Mindestens ${length} Zeichen. Niemand kann sie zurücksetzen.`,
  passphraseShort: (length) => `Wählen Sie eine Passphrase mit mindestens ${length} Zeichen.`,
  passphraseDiffers: 'Die beiden Passphrasen sind verschieden.',
  withPassphrase: 'Diese Passphrase benutzen',
  openBackup: 'Ich habe eine Sicherungsdatei',
  openBackupLead:
    'Der Hauptschlüssel Ihrer Identität ist in einer Datei, die Sie aus einer Konsole heruntergeladen oder mit „svc“ angelegt haben.',
  recover: 'Ich habe meine Wiederherstellungswörter',
  recoverLead:
    'Der Hauptschlüssel ist verloren oder gestohlen. Die Wörter, die Sie aufgeschrieben haben, bringen Ihre Identität zusammen mit der Wiederherstellungsdatei zurück.',
  pairTitle: 'Diesen Browser koppeln',
  pairStep: 'Wählen Sie auf dem Gerät mit dem Hauptschlüssel „Gerät koppeln“ und geben Sie hier ein, was es zeigt.',
  pairText: 'Text oder Adresse vom anderen Gerät',
  name: 'Name dieses Browsers',
  nameHint: 'Für Ihre Geräteliste. Namen bleiben in dem Browser, in dem Sie sie eingeben.',
  enterName: (name) =>
    name === '' ? '' : `Damit Sie diesen Browser dort in der Liste finden, geben Sie auch seinen Namen ein: ${name}.`,
  asksFor: 'Dieser Browser bittet um:',
  join: 'Beitreten',
  codeTitle: 'Code vergleichen',
  codeLead:
    'Geben Sie diesen Code auf dem anderen Gerät ein. Zeigt es einen anderen, ist jemand anderes beigetreten: Brechen Sie dann dort ab.',
  joins:
    'Dieser Browser tritt der Identität unten bei. Zeigt das andere Gerät eine andere Identität, brechen Sie dort ab.',
  waiting: 'Warten auf das andere Gerät …',
  refused: 'Das andere Gerät hat nicht bestätigt. Beginnen Sie dort von vorn.',
  paired: 'Dieser Browser ist gekoppelt.',
  other: 'Zurück',
}
