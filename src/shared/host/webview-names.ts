/** The name of the object that Android's WebMessageListener puts into the page, and of the handler on iOS. */
export const webviewPortName = 'waymakerHost';
/** The page's function through which an iOS app delivers messages. */
export const webviewDeliverName = 'waymakerHostDeliver';
